import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import type { OpenCapture } from '../inspector-state.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { MaskNote } from './mask-note.tsx'
import styles from './detail.module.css'

/** Headers in the order and the case they came in, duplicates too. */
export function HeadersTab({ open }: { open: OpenCapture }) {
  const { headers } = open.capture
  if (headers.length === 0) {
    return <EmptyState title="No headers" detail="The request came without any." />
  }
  return (
    <div>
      <div className={styles['tools']}>
        <MaskNote open={open} />
        <CopyButton
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          what="Headers"
          label="Copy all"
          kind="quiet"
        />
      </div>
      <dl className={styles['headers']}>
        {headers.map(([name, value], index) => (
          // They never change places: an index is a header's identity.
          <div key={index} className={styles['header']}>
            <dt>
              <UntrustedText text={name} />
            </dt>
            <dd>
              <UntrustedText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
