import { useState } from 'react'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Hint, Problem, Section } from '../../ui/layout.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import styles from './chain.module.css'
import { useDataOf } from '../../app/bridge.ts'

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
  const [isRequested, setRequested] = useState(false)
  const { data, error, isFetching, refetch } = useDataOf('asset.picture', isRequested ? of : null)
  if (link === null) return null
  const host = URL.parse(link)?.host ?? ''
  return (
    <Section title="Picture" aria-label="Picture">
      {data !== undefined ? (
        <>
          <img className={styles['picture']} src={data.dataUrl} alt={`Picture of ${name}`} />
          <Hint>
            {data.type.replace('image/', '').toUpperCase()}, {data.width} × {data.height},{' '}
            {formatBytes(data.bytes)}
          </Hint>
        </>
      ) : (
        <>
          <Button
            icon="eye"
            busy={isFetching}
            onClick={() => (isRequested ? void refetch() : setRequested(true))}
          >
            {error === null ? 'Show picture' : 'Try again'}
          </Button>
          {error === null ? (
            <Hint>
              Tondesk requests the picture from <UntrustedText text={host === '' ? link : host} />.
              The host sees your IP address.
            </Hint>
          ) : (
            <Problem>{error.message}</Problem>
          )}
        </>
      )}
    </Section>
  )
}
