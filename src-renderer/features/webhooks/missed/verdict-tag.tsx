import type { Verdict } from '../../../../src-preload/contract/ledger.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { verdicts } from './verdict-words.ts'
import styles from './missed.module.css'

/** By a picture and a word; the colour only helps the eye. */
export function VerdictTag({ verdict }: { verdict: Verdict }) {
  const { word, icon, tone, meaning } = verdicts[verdict]
  return (
    <Tag tone={tone} title={meaning}>
      <span className={styles['verdict']}>
        <Icon name={icon} size={11} />
        {word}
      </span>
    </Tag>
  )
}
