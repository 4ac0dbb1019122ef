/**
 * Transactions and traces that were loaded, so that they can be shown without the network.
 *
 * - lt: an int64 as it is. `answer`: JSON of a transaction as the gateway's client parsed it.
 * - chain_messages: by which messages a transaction can be found.
 * - chain_traces.nodes: JSON of the tree, its transactions by hash; they are rows of their own, found
 *   by trace_root. jettons: JSON of the jetton wallets in it.
 * - fetched_at: milliseconds since the epoch; the oldest go first.
 */
export const explorer = `
  CREATE TABLE chain_transactions (
    id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    hash TEXT NOT NULL,
    account TEXT NOT NULL,
    lt INTEGER NOT NULL,
    trace_root TEXT,
    fetched_at INTEGER NOT NULL,
    answer TEXT NOT NULL,
    UNIQUE (network, hash)
  ) STRICT;
  CREATE INDEX chain_transactions_by_account ON chain_transactions (network, account, lt);
  CREATE INDEX chain_transactions_by_trace ON chain_transactions (network, trace_root)
    WHERE trace_root IS NOT NULL;
  CREATE INDEX chain_transactions_by_age ON chain_transactions (fetched_at);

  CREATE TABLE chain_messages (
    network TEXT NOT NULL,
    message TEXT NOT NULL,
    transaction_id INTEGER NOT NULL REFERENCES chain_transactions (id) ON DELETE CASCADE,
    PRIMARY KEY (network, message, transaction_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_messages_by_transaction ON chain_messages (transaction_id);

  CREATE TABLE chain_traces (
    network TEXT NOT NULL,
    root TEXT NOT NULL,
    nodes TEXT NOT NULL,
    jettons TEXT NOT NULL,
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (network, root)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX chain_traces_by_age ON chain_traces (fetched_at);
`
