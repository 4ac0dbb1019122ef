/**
 * The forecast that learned from outages is gone. `subscriptions.retry_ms` stays, unused: rows of a damaged
 * database are recovered by the position of their columns.
 */
export const noOutages = `
  DROP TABLE outages;
  DROP TABLE retry_delays;
`
