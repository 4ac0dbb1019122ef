/** Networks that the user added, and the state of each network's secrets. */
export const networks = `
  CREATE TABLE custom_networks (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    query_url TEXT NOT NULL,
    webhooks_url TEXT NOT NULL,
    testnet_webhooks_url TEXT,
    console_url TEXT,
    test_only INTEGER NOT NULL CHECK (test_only IN (0, 1)),
    added_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The secrets themselves are in the keychain, under network/<network>/<slot>.
  CREATE TABLE network_secrets (
    network TEXT NOT NULL,
    slot TEXT NOT NULL,
    hint TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (network, slot)
  ) STRICT, WITHOUT ROWID;
`
