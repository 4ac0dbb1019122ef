export const failures = ``
