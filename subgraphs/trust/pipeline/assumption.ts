/**
 * What is supposed about sources without an answer: `nothing`, or that each of them would have said
 * the best it can. A denial must hold under both, so that no missing source ever turns an answer
 * into a denial.
 */
export type Assumption = 'nothing' | 'best'
