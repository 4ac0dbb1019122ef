import { useId } from 'react'
import type { ForwardRule } from '../../../src-preload/contract/index.ts'
import { modeSentences } from './rule-words.ts'
import styles from './rule-form.module.css'

type Mode = ForwardRule['mode']

const modes: readonly (readonly [Mode, string])[] = [
  ['after', 'After the answer'],
  ['through', 'Pass through'],
]

/** What the gateway gets, and who tries again: the one choice that matters. */
export function ModeChoice({ value, onChange }: { value: Mode; onChange: (mode: Mode) => void }) {
  const id = useId()
  return (
    <fieldset className={styles['modes']}>
      <legend className={styles['legend']}>What the gateway gets</legend>
      {modes.map(([mode, label]) => (
        <div key={mode} className={styles['mode']}>
          <input
            type="radio"
            id={`${id}-${mode}`}
            name={id}
            checked={mode === value}
            aria-describedby={`${id}-${mode}-why`}
            onChange={() => onChange(mode)}
          />
          <label htmlFor={`${id}-${mode}`}>{label}</label>
          <p id={`${id}-${mode}-why`}>{modeSentences[mode]}</p>
        </div>
      ))}
    </fieldset>
  )
}
