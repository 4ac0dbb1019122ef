/**
 * Transactions are numbered from 1 in the order they were executed, so a block's are a range and the
 * highest number is their count. Balances are text: what the faucet gives may pass SQLite's 64 bits.
 */
export const chain = `
CREATE TABLE blocks (
  seqno INTEGER PRIMARY KEY,
  utime INTEGER NOT NULL,
  start_lt INTEGER NOT NULL,
  end_lt INTEGER NOT NULL,
  first_transaction INTEGER NOT NULL,
  transaction_count INTEGER NOT NULL,
  root_hash TEXT NOT NULL,
  file_hash TEXT NOT NULL
) STRICT;

CREATE TABLE account_states (
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  state BLOB NOT NULL,
  code_hash TEXT,
  last_activity INTEGER NOT NULL
) STRICT;
CREATE INDEX account_states_by_code ON account_states (code_hash, id) WHERE code_hash IS NOT NULL;

CREATE TABLE transactions (
  number INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES account_states (id),
  lt INTEGER NOT NULL,
  block_seqno INTEGER NOT NULL,
  trace INTEGER NOT NULL,
  parent INTEGER,
  end_balance TEXT NOT NULL,
  deployed INTEGER NOT NULL,
  boc BLOB NOT NULL
) STRICT;
CREATE INDEX transactions_by_account ON transactions (account, lt);
CREATE INDEX transactions_by_trace ON transactions (trace);

CREATE TABLE account_traces (
  account INTEGER NOT NULL,
  lt INTEGER NOT NULL,
  trace INTEGER NOT NULL,
  PRIMARY KEY (account, lt, trace)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_transactions (
  hash BLOB NOT NULL,
  transaction_number INTEGER NOT NULL,
  PRIMARY KEY (hash, transaction_number)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting_messages (
  position INTEGER PRIMARY KEY,
  boc BLOB NOT NULL,
  trace INTEGER NOT NULL,
  parent INTEGER NOT NULL
) STRICT;
`
