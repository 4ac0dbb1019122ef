import type { Input, Output } from '../../../../src-preload/contract/routes.ts'
import type { DraftErrors } from '../../../app/use-draft.ts'
import { type BodyEdit, beginBody, readBody } from './body-edit.ts'

type ReplayEdit = NonNullable<Input<'replay.start'>['edit']>

export type Draft = Output<'replay.draft'>

/** A request while a person edits it. Headers keep an identity of their own: they come and go. */
export type RequestEdit = {
  readonly method: string
  readonly subpath: string
  readonly headers: readonly {
    readonly key: number
    readonly name: string
    readonly value: string
  }[]
  readonly body: BodyEdit
}

/** What is being edited, and what it began as: masked until a person asks to see it. */
export type Editing = {
  readonly edit: RequestEdit
  readonly draft: Draft
  readonly isRevealed: boolean
}

export function beginEdit(draft: Draft): RequestEdit {
  return {
    method: draft.method,
    subpath: draft.subpath,
    headers: draft.headers.map(([name, value], key) => ({ key, name, value })),
    body: beginBody(draft.body, draft.isText),
  }
}

type Read =
  | { readonly edit: ReplayEdit; readonly errors: null }
  | { readonly edit: null; readonly errors: DraftErrors }

/** A header's name by RFC 9110: a token. */
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/

/** What is sent, or what is wrong at which field: `headers.2` has the key 2. */
export function readEdit({ method, subpath, headers, body }: RequestEdit): Read {
  const errors: Record<string, string> = {}
  if (!/^[A-Z]{1,20}$/.test(method.trim())) errors['method'] = 'A method such as POST.'
  for (const { key, name, value } of headers) {
    if (name.trim() === '' && value.trim() === '') continue
    if (!headerName.test(name.trim())) errors[`headers.${key}`] = 'A name such as X-Order.'
    else if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      errors[`headers.${key}`] = 'A value in one line, without control characters.'
    }
  }
  const sent = readBody(body)
  if (sent.body === null) errors['body'] = sent.problem
  if (sent.body === null || Object.keys(errors).length > 0) return { edit: null, errors }
  return {
    edit: {
      method: method.trim(),
      subpath,
      headers: headers
        .filter(({ name }) => name.trim() !== '')
        .map(({ name, value }): [string, string] => [name.trim(), value]),
      body: sent.body,
      bodyAs: sent.bodyAs,
    },
    errors: null,
  }
}

/** The same edit once secrets are shown: what was touched stays as it is. */
export function reveal(edit: RequestEdit, masked: Draft, whole: Draft): RequestEdit {
  return {
    ...edit,
    subpath: edit.subpath === masked.subpath ? whole.subpath : edit.subpath,
    headers: edit.headers.map((header) => {
      const before = masked.headers[header.key]
      const real = whole.headers[header.key]?.[1]
      const isUntouched =
        before !== undefined && before[0] === header.name && before[1] === header.value
      return isUntouched && real !== undefined ? { ...header, value: real } : header
    }),
  }
}
