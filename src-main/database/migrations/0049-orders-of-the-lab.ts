/**
 * The orders and percentages that were there to test a backend, which the lab does now.
 *
 * - replay_jobs: a planned replay continues by its plan; one of requests sent twice cannot continue.
 *   Remarks state the former order.
 * - answer_rules: a rule for a percentage is turned off, because it would apply to all deliveries.
 */
export const ordersOfTheLab = `
  UPDATE replay_jobs
  SET remarks = json_insert(remarks, '$[#]', 'The captures are in shuffled order, seed ' || seed || '.')
  WHERE json_extract(options, '$.order') = 'shuffled';
  UPDATE replay_jobs SET
    remarks = json_insert(remarks, '$[#]', 'Each request is sent twice.'),
    state = CASE WHEN state IN ('running', 'paused') THEN 'cancelled' ELSE state END
  WHERE json_extract(options, '$.order') = 'doubled';
  UPDATE replay_jobs SET options = json_set(options, '$.order', 'arrival')
  WHERE json_extract(options, '$.order') IN ('shuffled', 'doubled');
  ALTER TABLE replay_jobs DROP COLUMN seed;
  ALTER TABLE replay_jobs DROP COLUMN copy;
  UPDATE answer_rules SET enabled = 0 WHERE share_percent IS NOT NULL;
  ALTER TABLE answer_rules DROP COLUMN share_percent;
  ALTER TABLE answer_rules DROP COLUMN seen;
`
