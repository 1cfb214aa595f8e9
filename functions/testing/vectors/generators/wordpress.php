<?php
// For products.py: prints the hash that the code of WordPress makes of each password in hex on
// standard input.
define('ABSPATH', __DIR__ . '/.sources/');
define('WPINC', 'wp-includes');
function apply_filters($name, $value) {
    // A site sets a cost by this filter.
    global $argv;
    return $name === 'wp_hash_password_options' && $argv[1] !== '' ? ['cost' => (int) $argv[1]] : $value;
}
require ABSPATH . WPINC . '/pluggable.php';
require ABSPATH . WPINC . '/class-phpass.php';

$passwords = array_map('hex2bin', json_decode(stream_get_contents(STDIN)));
$new = array_map('wp_hash_password', $passwords);
// Before 6.8: 2^13 iterations, and the lowest number.
$old = fn($log2) => array_map(fn($password) => (new PasswordHash($log2, true))->HashPassword($password), $passwords);
$made = ['wordpress' => $new, 'phpass' => $old(8), 'phpass, least cost' => $old(4)];
foreach ($made as $hashes) {
    foreach ($hashes as $at => $hash) {
        if (wp_check_password($passwords[$at], $hash) !== (trim($passwords[$at]) === $passwords[$at] || $hash[1] === 'P')) {
            exit("WordPress does not agree with itself: $hash");
        }
    }
}
echo json_encode($made, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
