import { maskHeader, maskTarget } from '../../captures/mask.ts'

type Headers = readonly (readonly [string, string])[]
type MaskedParts = { readonly subpath: string; readonly headers: Headers }

/**
 * An edit with the capture's own values where the masks of them were left as they are. So a person can
 * edit what surrounds a secret without ever seeing it.
 * @returns `left`: what holds a mask still, in words; it would be sent as if it were a value
 */
export function unmask(
  edit: MaskedParts,
  original: MaskedParts,
): MaskedParts & { readonly left: string | null } {
  const headers = unmaskHeaders(edit.headers, original.headers)
  const subpath = unmaskSubpath(edit.subpath, original.subpath)
  return { headers, subpath, left: findMask({ headers, subpath }, original) }
}

function unmaskHeaders(edited: Headers, original: Headers): Headers {
  const secrets = original.flatMap(([name, value]) => {
    const masked = maskHeader([name, value])[1]
    return masked === value ? [] : [{ name: name.toLowerCase(), masked, value }]
  })
  return edited.map(([name, value]) => {
    // Each stands for one, in order: two secrets may look alike when masked.
    const at = secrets.findIndex(
      (each) => each.name === name.toLowerCase() && each.masked === value,
    )
    return at === -1 ? [name, value] : [name, secrets.splice(at, 1)[0]?.value ?? value]
  })
}

function unmaskSubpath(edited: string, original: string): string {
  const secrets = maskedParameters(original)
  const [path, parameters] = split(edited)
  if (parameters === null) return edited
  const unmasked = parameters.map((parameter) => {
    const at = secrets.findIndex(({ masked }) => masked === parameter)
    return at === -1 ? parameter : (secrets.splice(at, 1)[0]?.value ?? parameter)
  })
  return `${path}?${unmasked.join('&')}`
}

function split(subpath: string): [path: string, parameters: string[] | null] {
  const mark = subpath.indexOf('?')
  if (mark === -1) return [subpath, null]
  return [subpath.slice(0, mark), subpath.slice(mark + 1).split('&')]
}

function maskedParameters(subpath: string): { masked: string; value: string }[] {
  const [, original] = split(subpath)
  const [, masked] = split(maskTarget(subpath))
  return (original ?? []).flatMap((value, index) => {
    const shown = masked?.[index] ?? value
    return shown === value ? [] : [{ masked: shown, value }]
  })
}

const maskOfSecret = /\*{4}[^\s&#]{0,4}/

/** A mask that was moved or written into: nobody means it as it stands. */
function findMask(edit: MaskedParts, original: MaskedParts): string | null {
  const masks = new Set<string>()
  for (const header of original.headers) {
    const [name, value] = header
    const masked = maskHeader([name, value])[1]
    const [found] = masked === value ? [] : (maskOfSecret.exec(masked) ?? [])
    if (found !== undefined) masks.add(found)
  }
  for (const { masked } of maskedParameters(original.subpath)) {
    const [found] = maskOfSecret.exec(masked) ?? []
    if (found !== undefined) masks.add(found)
  }
  const known = new Set(original.headers.map(([, value]) => value))
  const holds = (text: string) => [...masks].some((mask) => text.includes(mask))
  const header = edit.headers.find(([, value]) => !known.has(value) && holds(value))
  if (header !== undefined) return `the header ${header[0]}`
  return edit.subpath !== original.subpath && holds(edit.subpath) ? 'the path' : null
}
