import { Select } from '../../../ui/select.tsx'
import { type Defaults, useDefaults } from './drafts.ts'
import { LifetimeField } from './lifetime-field.tsx'
import styles from './issue.module.css'
import { currencyChoices } from '../../../components/amount.ts'

const commas = [
  { value: 'ask', label: 'not chosen' },
  { value: 'fraction', label: '1.234' },
  { value: 'thousands', label: '1234' },
] as const

/** What a line gets that says nothing of it, and how an amount is read that can mean two things. */
export function DefaultsForm() {
  const defaults = useDefaults()
  const change = (part: Partial<Defaults>) => useDefaults.setState(part)
  return (
    <div className={styles['defaults']} role="group" aria-label="Where a line says nothing">
      <p className={styles['legend']}>Where a line says nothing of its own:</p>
      <div className={styles['field']}>
        <span className={styles['label']}>Currency</span>
        <Select
          label="Currency where a line has none"
          value={defaults.currency}
          onChange={(currency) => change({ currency })}
          options={currencyChoices}
        />
      </div>
      <LifetimeField value={defaults} onChange={change} />
      <div className={styles['field']}>
        <span className={styles['label']}>1,234 means</span>
        <Select<Defaults['comma']>
          label="What an amount such as 1,234 means"
          value={defaults.comma}
          onChange={(comma) => change({ comma })}
          options={commas}
        />
      </div>
    </div>
  )
}
