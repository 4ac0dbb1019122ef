/** What figures of invoices are typed and pasted with. Pure. */

/** Zero-width marks and marks of direction that stand for nothing: web pages leave them in what is copied. */
const unseen = /[\u200b-\u200f\u2060\ufeff]/g

/** These turn the order of what is shown: `12` may be seen as `21`. */
const turning = /[\u202a-\u202e\u2066-\u2069]/

/** Without what stands around it and what nobody sees. */
export function bare(text: string): string {
  return text.replace(unseen, '').trim()
}

/** Why a figure cannot be read whatever it is of, as a sentence; null where it may be. */
export function digitsProblem(text: string): string | null {
  if (turning.test(text)) {
    return 'It holds an invisible mark that turns digits around: type it anew.'
  }
  const foreign = /(?![0-9])\p{Nd}/u.exec(text)?.[0]
  if (foreign !== undefined) {
    return `It is written with other digits than 0 to 9 (${foreign}): write it with those.`
  }
  return null
}
