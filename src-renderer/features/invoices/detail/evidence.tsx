import type { PaymentEvidence } from '../../../../src-preload/contract/payment.ts'
import { Icon } from '../../../ui/icons.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { evidenceWords } from '../invoice-words.ts'
import styles from './detail.module.css'

/** What was compared, and whether it fits. */
export function Evidence({ of, label }: { of: readonly PaymentEvidence[]; label: string }) {
  return (
    <ul className={styles['evidence']} aria-label={label}>
      {of.map(({ kind, fits, text: why }, index) => (
        <li key={index} className={fits ? styles['fits'] : styles['differs']}>
          <Icon name={fits ? 'check' : 'close'} size={12} />
          <span>
            <span className={text['hidden']}>{fits ? 'fits: ' : 'does not fit: '}</span>
            {evidenceWords[kind]}: <UntrustedText text={why} />
          </span>
        </li>
      ))}
    </ul>
  )
}
