import { Fragment, useLayoutEffect, useRef, useState } from 'react'
import type { SentencePart } from '../../../src-preload/contract/chain/transaction.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { AccountLink, AccountName } from './account-link.tsx'
import { Amount } from './chain-text.tsx'
import styles from './chain.module.css'

/** Shows a sentence with links for accounts and exact amounts. */
export function SentenceView({
  parts,
  links = true,
  clamped = false,
}: {
  parts: readonly SentencePart[]
  /** False if a link would lead away from a question. */
  links?: boolean
  /** Shows three lines, and a button for the rest of a longer sentence. */
  clamped?: boolean
}) {
  const text = useRef<HTMLParagraphElement>(null)
  const [isWhole, setWhole] = useState(!clamped)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const box = text.current
    if (box === null || isWhole) return undefined
    const observer = new ResizeObserver(() => setCut(box.scrollHeight > box.clientHeight + 1))
    observer.observe(box)
    return () => observer.disconnect()
  }, [isWhole, parts])
  return (
    <>
      <p ref={text} className={classes(styles['sentence'], !isWhole && styles['clamped'])}>
        {parts.map((part, index) => (
          <Part key={index} part={part} links={links} />
        ))}
      </p>
      {clamped && (isWhole || isCut) && (
        <Button kind="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show the whole sentence'}
        </Button>
      )}
    </>
  )
}

/** Shows only the parts, for a cell of a list; without links, because the row is a link. */
export const SentenceText = ({ parts }: { parts: readonly SentencePart[] }) =>
  parts.map((part, index) =>
    part.kind === 'quote' ? (
      <Fragment key={index}>
        “<UntrustedText text={part.text} />”
      </Fragment>
    ) : (
      <Part key={index} part={part} links={false} />
    ),
  )

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
