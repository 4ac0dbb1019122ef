import type { SentencePart } from '../../../src-preload/contract/index.ts'
import { UntrustedText } from '../inspector/body/untrusted-text.tsx'
import { AccountLink } from './account-link.tsx'
import { Amount } from './amount.tsx'
import styles from './chain.module.css'

/** One plain sentence whose accounts are links and whose amounts are exact. */
export function SentenceView({ parts }: { parts: readonly SentencePart[] }) {
  return (
    <p className={styles['sentence']}>
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </p>
  )
}

function Part({ part }: { part: SentencePart }) {
  switch (part.kind) {
    case 'words':
      return part.text
    case 'account':
      return <AccountLink account={part.account} canCopy={false} />
    case 'amount':
      return <Amount units={part.units} asset={part.asset} />
    case 'quote':
      return (
        <q className={styles['quote']}>
          <UntrustedText text={part.text} />
        </q>
      )
  }
}
