export const invoiceLists = ''
