/** Queries that a person has saved. */
export const captureViews = ``
