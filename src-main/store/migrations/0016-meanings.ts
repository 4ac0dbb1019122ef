/** What captures are about, as their transactions tell. */
export const meanings = ``
