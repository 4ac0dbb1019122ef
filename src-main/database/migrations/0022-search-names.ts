/**
 * What searching needs besides the captures themselves.
 *
 * - account_names: what each network's gateway calls accounts, so that they are found by these names.
 *   address: raw. folded: the name in lower case. The first ones come from the stored data of a chain.
 * - capture_meanings.explanation: the sentence on a capture's transaction. Accounts stand in it by their
 *   raw addresses, because names and labels change.
 */
export const searchNames = `
  CREATE TABLE account_names (
    network TEXT NOT NULL,
    address TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (network, address)
  ) STRICT, WITHOUT ROWID;

  INSERT OR IGNORE INTO account_names (network, address, name, folded)
    SELECT network, account, name, lower(name) FROM
      (SELECT network, account, CASE WHEN json_valid(answer)
         THEN json_extract(answer, '$.account.name') END AS name
       FROM chain_transactions ORDER BY fetched_at DESC)
    WHERE typeof(name) = 'text' AND name <> '';

  ALTER TABLE capture_meanings ADD COLUMN explanation TEXT;
`
