import type { SentencePart } from '../../../src-preload/contract/chain.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { AccountLink, AccountName } from './account-link.tsx'
import { Amount } from './amount.tsx'
import styles from './chain.module.css'

/** One plain sentence whose accounts are links and whose amounts are exact. */
export function SentenceView({
  parts,
  links = true,
}: {
  parts: readonly SentencePart[]
  /** False where a link would lead away from a question. */
  links?: boolean
}) {
  return (
    <p className={styles['sentence']}>
      {parts.map((part, index) => (
        <Part key={index} part={part} links={links} />
      ))}
    </p>
  )
}

function Part({ part, links }: { part: SentencePart; links: boolean }) {
  switch (part.kind) {
    case 'words':
      return part.text
    case 'account':
      return links ? (
        <AccountLink account={part.account} canCopy={false} />
      ) : (
        <strong>
          <AccountName account={part.account} />
        </strong>
      )
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
