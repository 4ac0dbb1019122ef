export const subscriptions = ``
