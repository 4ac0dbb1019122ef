export const changes = ``
