/** Terms of the query language of captures, as the window writes them. The main process reads them. */

/** `field:value`, the value quoted where it would not be read as one. */
export function queryTerm(field: string, value: string): string {
  return `${field}:${quoted(value)}`
}

/** A value as it is to be written in a term: quoted where blanks or signs would end or change it. */
export function quoted(value: string): string {
  if (/^[^\s",:<>()*-][^\s",()*]*$/.test(value) && !value.includes('..')) return value
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
