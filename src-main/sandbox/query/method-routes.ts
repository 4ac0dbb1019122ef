import type { TupleItem } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { answerJson } from '../http.ts'
import { codeHashOf } from './account-state.ts'
import { readBody } from './bodies.ts'
import { decodeMethodResult } from './method-results.ts'
import { readTextArgument, readTypedArgument, typedArgument } from './method-arguments.ts'
import { accountParameter, notFound, pathParameter, refusal, shorten } from './parameters.ts'
import type { QueryDeps } from './query-deps.ts'
import type { Route } from './routes.ts'
import { serializeStackItem } from './stack.ts'

const argumentsBody = z.object({ args: z.array(typedArgument).default([]) })

export function methodRoutes({ chain }: QueryDeps): Route[] {
  async function execute(context: Context, readStack: () => TupleItem[] | Promise<TupleItem[]>) {
    const account = accountParameter(context)
    if (codeHashOf(chain.account(account)) === null) throw notFound()
    const stack = await readStack()
    const method = pathParameter(context, 'method_name')
    const result = await chain.runMethod(account, method, stack)
    if (result === null) throw notFound()
    const isSuccess = result.exitCode === 0 || result.exitCode === 1
    const decoded = isSuccess ? decodeMethodResult(method, result.stack) : null
    return answerJson({
      success: isSuccess,
      exit_code: result.exitCode,
      stack: result.stack.map(serializeStackItem),
      ...(decoded === null ? {} : { decoded }),
    })
  }

  function get(context: Context): Promise<Response> {
    return execute(context, () =>
      (context.req.queries('args') ?? []).map((text) => {
        const item = readTextArgument(text)
        if (item === null) throw refusal(`can't parse arg '${shorten(text)}' as any TVMStackValue`)
        return item
      }),
    )
  }

  function post(context: Context): Promise<Response> {
    return execute(context, async () => {
      const { args } = await readBody(context, argumentsBody)
      return args.map((argument) => {
        const item = readTypedArgument(argument)
        if (item === null) {
          const { type, value } = argument
          throw refusal(`can't parse arg '${shorten(value)}': it is no ${type}`)
        }
        return item
      })
    })
  }

  return [{ path: '/blockchain/accounts/:account_id/methods/:method_name', get, post }]
}
