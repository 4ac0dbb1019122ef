export const chain = `
`
