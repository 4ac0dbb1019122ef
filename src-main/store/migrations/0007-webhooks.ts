export const webhooks = ``
