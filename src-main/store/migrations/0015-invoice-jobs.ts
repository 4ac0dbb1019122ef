export const invoiceJobs = ''
