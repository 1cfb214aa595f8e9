<?php
// For products.py: prints the hash that the code of Drupal 7 makes of each password in hex on
// standard input.
function variable_get($name, $default) {
    return $default;
}
function drupal_random_bytes($count) {
    return random_bytes($count);
}
require __DIR__ . '/.sources/password.inc';

$passwords = array_map('hex2bin', json_decode(stream_get_contents(STDIN)));
$made = array_map(fn($password) => user_hash_password($password, (int) $argv[1]), $passwords);
foreach ($made as $at => $hash) {
    if (!user_check_password($passwords[$at], (object) ['pass' => $hash])) {
        exit("Drupal does not agree with itself: $hash");
    }
}
echo json_encode($made, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
