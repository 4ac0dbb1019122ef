export const ledger = ``
