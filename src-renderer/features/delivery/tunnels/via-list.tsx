import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import styles from './tunnels.module.css'

/** Who says that it stood on the way: anybody can write these headers. */
export function ViaList({
  via,
}: {
  via: readonly { readonly source: string; readonly value: string }[]
}) {
  if (via.length === 0) return null
  return (
    <details className={styles['via']}>
      <summary>The way, as its headers tell</summary>
      <dl>
        {via.map(({ source, value }, index) => (
          <div key={index}>
            <dt>{source}</dt>
            <dd>
              <UntrustedText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
