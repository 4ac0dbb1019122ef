export const webhooks = `
`
