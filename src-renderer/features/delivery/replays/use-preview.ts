import { useEffect, useState } from 'react'
import type { Input, Output } from '../../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { useSettled } from '../../../ui/use-settled.ts'

export type Preview =
  | { readonly status: 'none' }
  | { readonly status: 'counting' }
  | { readonly status: 'ready'; readonly preview: Output<'replay.preview'> }
  | { readonly status: 'failed'; readonly error: AppError }

type Found = { readonly of: string; readonly preview: Preview }

/** How many requests an order comes to, as it is written. Null while it cannot be told. */
export function usePreview(order: Input<'replay.start'> | null): Preview {
  const key = order === null ? '' : JSON.stringify(order)
  const settled = useSettled(key)
  const [found, setFound] = useState<Found | null>(null)
  useEffect(() => {
    if (settled === '') return undefined
    let isWanted = true
    const take = (preview: Preview) => isWanted && setFound({ of: settled, preview })
    request('replay.preview', JSON.parse(settled) as Input<'replay.preview'>).then(
      (preview) => take({ status: 'ready', preview }),
      (error: unknown) => take({ status: 'failed', error: toAppError(error) }),
    )
    return () => {
      isWanted = false
    }
  }, [settled])
  if (key === '') return { status: 'none' }
  return found?.of === key ? found.preview : { status: 'counting' }
}
