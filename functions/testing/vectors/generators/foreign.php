<?php
// For foreign.py: prints password_hash() of each password on standard input.
$passwords = json_decode(stream_get_contents(STDIN));
$kinds = [
    'bcrypt' => [PASSWORD_BCRYPT, ['cost' => 4]],
    'argon2i' => [PASSWORD_ARGON2I, ['memory_cost' => 64, 'time_cost' => 2, 'threads' => 1]],
    'argon2id' => [PASSWORD_ARGON2ID, ['memory_cost' => 64, 'time_cost' => 2, 'threads' => 1]],
];
$hashes = [];
foreach ($kinds as $name => [$algorithm, $options]) {
    $hashes[$name] = array_map(fn($password) => password_hash($password, $algorithm, $options), $passwords);
}
echo json_encode(['version' => 'PHP ' . PHP_VERSION, 'hashes' => $hashes]);
