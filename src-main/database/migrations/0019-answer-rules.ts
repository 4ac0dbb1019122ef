/**
 * What the gateway gets in the place of 200.
 *
 * - place: in the order in which they are tried.
 * - action: JSON, as `answerAction` of the contract. `next` and `share_percent` as there.
 * - used, spent, seen: see `AnswerRuleUse`; written behind, so that a kill forgets the last second's.
 */
export const answerRules = `
  CREATE TABLE answer_rules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place INTEGER NOT NULL,
    filter TEXT NOT NULL,
    action TEXT NOT NULL,
    next INTEGER,
    share_percent INTEGER,
    enabled INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0,
    spent INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`
