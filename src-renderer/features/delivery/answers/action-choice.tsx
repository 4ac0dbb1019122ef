import type { AnswerAction } from '../../../../src-preload/contract/answer-rule.ts'
import { type RadioOption, RadioList } from '../../../ui/radio-list.tsx'
import { kindSentences } from './answer-words.ts'

type Kind = AnswerAction['kind']

const kinds: readonly RadioOption<Kind>[] = [
  { value: 'answer', label: 'Answer', why: kindSentences.answer },
  { value: 'hang', label: 'Never answer', why: kindSentences.hang },
  { value: 'cut', label: 'Cut the connection', why: kindSentences.cut },
]

export function ActionChoice(props: { value: Kind; onChange: (kind: Kind) => void }) {
  return <RadioList label="What the gateway gets" options={kinds} {...props} />
}
