import { formatCount } from '../../../ui/format.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Banner } from '../../../app/frame/banner.tsx'
import { answerRules, answersHome } from './answer-rules.ts'
import { isActive, sayRule } from './answer-words.ts'
import { allOff } from './rule-commands.ts'

/** As long as the gateway gets something else than 200, nobody is to wonder why it tries again. */
export function AnswersBanner() {
  const active = (valueOf(useResource(answerRules)) ?? []).filter(isActive)
  const [first] = active
  if (first === undefined) return null
  const more = active.length === 1 ? '' : `, and ${formatCount(active.length - 1, 'more rule')}`
  return (
    <Banner
      level="warning"
      title="Deliveries are answered by your rules"
      detail={`${sayRule(first)}${more}. They stay on, also over a restart, until they are used up or turned off.`}
      isShort
      end={
        <>
          <a href={printRoute(answersHome)}>Rules</a>
          <Button onClick={() => void allOff()}>All off</Button>
        </>
      }
    />
  )
}
