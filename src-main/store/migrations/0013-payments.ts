export const payments = ''
