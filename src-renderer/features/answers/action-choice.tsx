import { useId } from 'react'
import type { AnswerAction } from '../../../src-preload/contract/index.ts'
import { kindSentences } from './answer-words.ts'
import styles from './answers.module.css'

type Kind = AnswerAction['kind']

const kinds: readonly (readonly [Kind, string])[] = [
  ['answer', 'Answer'],
  ['hang', 'Never answer'],
  ['cut', 'Cut the connection'],
]

export function ActionChoice({ value, onChange }: { value: Kind; onChange: (kind: Kind) => void }) {
  const id = useId()
  return (
    <fieldset className={styles['kinds']}>
      <legend className={styles['legend']}>What the gateway gets</legend>
      {kinds.map(([kind, label]) => (
        <div key={kind} className={styles['kind']}>
          <input
            type="radio"
            id={`${id}-${kind}`}
            name={id}
            checked={kind === value}
            aria-describedby={`${id}-${kind}-why`}
            onChange={() => onChange(kind)}
          />
          <label htmlFor={`${id}-${kind}`}>{label}</label>
          <p id={`${id}-${kind}-why`}>{kindSentences[kind]}</p>
        </div>
      ))}
    </fieldset>
  )
}
