export const invoices = `
`
