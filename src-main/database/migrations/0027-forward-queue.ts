/**
 * `is_first` marks the delivery of each target and each `lane` that is sent next: the first of those that
 * wait, by logical time and then by arrival. Triggers keep it right for every writer. Deliveries that
 * are due are then read from one index, oldest first, behind them those that failed three times.
 */
const markFirst = (row: 'old' | 'new') => `
    UPDATE forward_deliveries SET is_first = 1 WHERE is_first = 0 AND id =
      (SELECT id FROM forward_deliveries WHERE target = ${row}.target AND lane = ${row}.lane
       AND state < 2 ORDER BY sort_lt, capture_id LIMIT 1);`

const markNotFirst = `
    UPDATE forward_deliveries SET is_first = 0 WHERE is_first = 1 AND id =
      (SELECT id FROM forward_deliveries WHERE target = new.target AND lane = new.lane
       AND state < 2 ORDER BY sort_lt, capture_id LIMIT 1 OFFSET 1);`

export const forwardQueue = `
  ALTER TABLE forward_deliveries ADD COLUMN is_first INTEGER NOT NULL DEFAULT 0;
  UPDATE forward_deliveries SET is_first = 1 WHERE state < 2 AND NOT EXISTS
    (SELECT 1 FROM forward_deliveries AS other WHERE other.target = forward_deliveries.target
     AND other.lane = forward_deliveries.lane AND other.state < 2
     AND (other.sort_lt, other.capture_id) < (forward_deliveries.sort_lt, forward_deliveries.capture_id));
  CREATE INDEX forward_deliveries_first
    ON forward_deliveries (target, attempts >= 3, received_at, capture_id, next_at, attempts)
    WHERE is_first = 1;

  CREATE TRIGGER forward_first_added AFTER INSERT ON forward_deliveries WHEN new.state < 2
  BEGIN ${markFirst('new')} ${markNotFirst}
  END;
  CREATE TRIGGER forward_first_ended AFTER UPDATE OF state ON forward_deliveries
    WHEN old.state < 2 AND new.state > 1
  BEGIN
    UPDATE forward_deliveries SET is_first = 0 WHERE id = new.id AND is_first = 1;
    ${markFirst('old')}
  END;
  CREATE TRIGGER forward_first_moved AFTER UPDATE OF state, lane ON forward_deliveries
    WHEN new.state < 2 AND (old.state > 1 OR old.lane <> new.lane)
  BEGIN
    UPDATE forward_deliveries SET is_first = 0 WHERE id = new.id AND is_first = 1;
    ${markFirst('old')} ${markFirst('new')} ${markNotFirst}
  END;
  CREATE TRIGGER forward_first_removed AFTER DELETE ON forward_deliveries WHEN old.is_first = 1
  BEGIN ${markFirst('old')}
  END;
`
