/**
 * Explanations of captures, from their transactions. All but the choices of the user can be read
 * again.
 *
 * - capture_meanings: one row for each capture that has an explanation, or whose network
 *   the user chose. network, network_by: whose delivery it is, and by what that is known. state: as
 *   in the contract. hash: of the transaction, or of the message, that is requested. rank: what is
 *   requested first. next_at: 0 for now, else from when on (milliseconds). units to decimals: what
 *   moved; direction: as the account of the delivery sees it. Addresses are raw. invoice: id on that
 *   network. block_at, understood_at: milliseconds.
 * - capture_networks: the user's choices for captures whose network is unknown.
 * - meaning_progress: up to which capture they were looked at, and what was left out on the way, for
 *   the newest come first: JSON, pairs of the id before the first and of the last, the newest last.
 */
export const meanings = `
  CREATE TABLE capture_meanings (
    capture_id INTEGER PRIMARY KEY,
    network TEXT,
    network_by TEXT,
    state TEXT NOT NULL,
    hash BLOB,
    rank INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL DEFAULT 0,
    problem TEXT,
    units TEXT,
    jetton TEXT,
    symbol TEXT,
    decimals INTEGER,
    direction TEXT,
    sender TEXT,
    recipient TEXT,
    comment TEXT,
    opcode TEXT,
    exit_code INTEGER,
    success INTEGER,
    invoice TEXT,
    block_at INTEGER,
    understood_at INTEGER
  ) STRICT;

  CREATE INDEX capture_meanings_waiting ON capture_meanings (network, rank, next_at, capture_id)
    WHERE state = 'waiting';
  CREATE INDEX capture_meanings_unavailable ON capture_meanings (network, capture_id)
    WHERE state = 'unavailable';
  CREATE INDEX capture_meanings_by_invoice ON capture_meanings (network, invoice)
    WHERE invoice IS NOT NULL;

  CREATE TABLE capture_networks (
    capture_id INTEGER PRIMARY KEY,
    network TEXT NOT NULL
  ) STRICT;

  CREATE TABLE meaning_progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    followed_to INTEGER NOT NULL,
    gaps TEXT NOT NULL
  ) STRICT;
  INSERT INTO meaning_progress VALUES (1, 0, '[]');
`
