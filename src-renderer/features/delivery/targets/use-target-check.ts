import { useEffect, useState } from 'react'
import type { TargetVerdict } from '../../../../src-preload/contract/target.ts'
import { bridgeCodes } from '../../../../src-preload/domain/app-error.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { readFieldErrors } from '../../../app/form-values.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { confirmedHosts } from './confirmed.ts'

/** Typing rests this long before a name is looked up. */
const restMs = 250

/** What would be done with a URL, as far as it is known while one types it. */
export type TargetCheck =
  | { readonly status: 'empty' }
  | { readonly status: 'checking' }
  | { readonly status: 'known'; readonly verdict: TargetVerdict }
  /** It is no URL, or could not be looked up: `why` says which. */
  | { readonly status: 'unknown'; readonly why: string; readonly isInvalid: boolean }

/** @throws never: what cannot be told is told as such */
export async function checkTarget(url: string): Promise<TargetCheck> {
  if (url === '') return { status: 'empty' }
  try {
    return { status: 'known', verdict: await request('target.check', { url }) }
  } catch (caught) {
    const error = toAppError(caught)
    const why = readFieldErrors(error)?.['url'] ?? error.message
    return { status: 'unknown', why, isInvalid: error.code === bridgeCodes.invalidInput }
  }
}

/** Follows the typing, and what was confirmed meanwhile. */
export function useTargetCheck(typed: string): TargetCheck {
  const confirmed = valueOf(useResource(confirmedHosts))
  const url = typed.trim()
  const [found, setFound] = useState<{ readonly of: string; readonly check: TargetCheck } | null>(
    null,
  )
  useEffect(() => {
    if (url === '') return undefined
    let isWanted = true
    const timer = setTimeout(() => {
      void checkTarget(url).then((check) => isWanted && setFound({ of: url, check }))
    }, restMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [url, confirmed])
  if (url === '') return { status: 'empty' }
  return found?.of === url ? found.check : { status: 'checking' }
}
