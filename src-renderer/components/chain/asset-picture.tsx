import { useState } from 'react'
import type { Picture } from '../../../src-preload/contract/asset.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Hint, Problem, Section } from '../../ui/layout.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import styles from './chain.module.css'

type State =
  | { readonly status: 'hidden' | 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'shown'; readonly picture: Picture }

/** Shows the picture of an asset, which the main process loads when the user requests it. */
export function AssetPicture({
  of,
  link,
  name,
}: {
  of: Input<'asset.picture'>
  /** Null if the asset has no picture. */
  link: string | null
  name: string
}) {
  const [state, setState] = useState<State>({ status: 'hidden' })
  if (link === null) return null
  const host = URL.parse(link)?.host ?? ''
  const show = async () => {
    setState({ status: 'loading' })
    try {
      setState({ status: 'shown', picture: await request('asset.picture', of) })
    } catch (error) {
      setState({ status: 'failed', error: toAppError(error) })
    }
  }
  return (
    <Section title="Picture" aria-label="Picture">
      {state.status === 'shown' ? (
        <>
          <img
            className={styles['picture']}
            src={state.picture.dataUrl}
            alt={`Picture of ${name}`}
          />
          <Hint>
            {state.picture.type.replace('image/', '').toUpperCase()}, {state.picture.width} ×{' '}
            {state.picture.height}, {formatBytes(state.picture.bytes)}
          </Hint>
        </>
      ) : (
        <>
          <Button icon="eye" busy={state.status === 'loading'} onClick={() => void show()}>
            {state.status === 'failed' ? 'Try again' : 'Show picture'}
          </Button>
          {state.status === 'failed' ? (
            <Problem>{state.error.message}</Problem>
          ) : (
            <Hint>
              Tondesk requests the picture from <UntrustedText text={host === '' ? link : host} />.
              The host sees your IP address.
            </Hint>
          )}
        </>
      )}
    </Section>
  )
}
