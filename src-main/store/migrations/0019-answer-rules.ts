/** What the gateway gets in the place of 200. */
export const answerRules = ``
