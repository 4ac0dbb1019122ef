export const control = `
`
