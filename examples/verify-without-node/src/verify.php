<?php
// Verifies a delivery: scheme v1 with what PHP has, scheme v1a with its sodium extension.

function isSigned(string $key, string $content, string $scheme, string $signature): bool
{
    [$kind, $text] = explode('_', $key, 2);
    $raw = base64_decode($text);
    if ($kind === 'whsec') {
        return $scheme === 'v1' && hash_equals(hash_hmac('sha256', $content, $raw, true), $signature);
    }
    return $scheme === 'v1a'
        && strlen($signature) === SODIUM_CRYPTO_SIGN_BYTES
        && sodium_crypto_sign_verify_detached($signature, $content, $raw);
}

/** $key is whpk_… or whsec_…; $body the bytes as they came (php://input), before json_decode. */
function verify(string $key, array $headers, string $body, int $tolerance = 300): bool
{
    ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signatures] = $headers;
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > $tolerance) {
        return false;
    }
    foreach (explode(' ', $signatures) as $entry) {
        [$scheme, $text] = explode(',', $entry, 2) + ['', ''];
        if (isSigned($key, "$id.$timestamp.$body", $scheme, base64_decode($text))) {
            return true;
        }
    }
    return false;
}

if (PHP_SAPI === 'cli') {
    $headers = [];
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        $headers[$name] = getenv(strtoupper(strtr($name, '-', '_')));
    }
    $body = stream_get_contents(STDIN);
    foreach (array_slice($argv, 1) as $key) {
        if (verify($key, $headers, $body)) {
            exit(0);
        }
    }
    exit(1);
}
