<?php
// Receives webhooks. Needs PHP 8.1 or later with the extension pdo_sqlite.
// Start: WEBHOOK_TOKEN=… php -S 127.0.0.1:8080 receiver.php
declare(strict_types=1);

/** Your code. If it throws, the gateway gets 500 and delivers the event again. */
function handleEvent(array $event): void
{
    $type = $event['event_type'] ?? '';
    error_log("$type {$event['account_id']} {$event['tx_hash']}");
}

function receive(string $authorization, string $body): int
{
    $token = getenv('WEBHOOK_TOKEN');
    if ($token === false || $token === '') {
        error_log('Set WEBHOOK_TOKEN to the token of the webhook.');
        return 500;
    }
    // The comparison takes the same time whatever was sent, also where the header is missing.
    if (!hash_equals(hash('sha256', "Bearer $token"), hash('sha256', $authorization))) {
        return 401;
    }
    $event = json_decode($body, true);
    if (!is_array($event) || !is_string($event['tx_hash'] ?? null)) {
        return 400;
    }
    // The gateway may deliver an event more than once: the hash is stored with what you did.
    $database = new PDO('sqlite:' . (getenv('DATABASE') ?: 'webhooks.db'));
    $database->exec('CREATE TABLE IF NOT EXISTS handled (tx_hash TEXT PRIMARY KEY)');
    $database->beginTransaction();
    try {
        $insert = $database->prepare('INSERT OR IGNORE INTO handled (tx_hash) VALUES (?)');
        $insert->execute([$event['tx_hash']]);
        if ($insert->rowCount() === 1) {
            handleEvent($event);
        }
        $database->commit();
        return 200;
    } catch (Throwable $error) {
        $database->rollBack();
        error_log($error->getMessage());
        return 500;
    }
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
} else {
    $authorization = $_SERVER['HTTP_AUTHORIZATION'] ?? '';
    http_response_code(receive($authorization, (string) file_get_contents('php://input')));
}
