/** Captures that were sent again, and what was answered. */
export const replays = ``
