<?php
// For crypt_hashes.py: prints the hash of each [password in hex, setting] on standard input by crypt().
$asked = json_decode(stream_get_contents(STDIN));
$made = array_map(fn($pair) => crypt(hex2bin($pair[0]), $pair[1]), $asked);
echo json_encode(['version' => 'PHP ' . PHP_VERSION, 'made' => $made], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
