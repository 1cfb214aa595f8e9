// What does a login cost Keycloak, and how long does a refresh, which needs no hash, wait beside
// logins? Logins and refreshes arrive at fixed rates, however long the answers take.
//
// usage: RATE=20 REFRESHES=10 RUN_SECONDS=20 URL=… USERS=400 PASSWORD=… loadtest/k6 run --summary-export=FILE client-scala/keycloak/tests/logins.js
import http from "k6/http";
import { Counter, Trend } from "k6/metrics";

const { RATE, REFRESHES, RUN_SECONDS, URL, USERS, PASSWORD } = __ENV;
const TOKEN = `${URL}/realms/event/protocol/openid-connect/token`;

const answered = new Counter("logins_answered");
const refused = new Counter("logins_refused");
const login = new Trend("login_ms", true);
const refresh = new Trend("refresh_ms", true);

const arrivals = (rate, exec) => ({
  executor: "constant-arrival-rate", rate: Number(rate), timeUnit: "1s", duration: `${RUN_SECONDS}s`, preAllocatedVUs: 100, maxVUs: 600, exec, gracefulStop: "60s",
});
const scenarios = { refreshes: arrivals(REFRESHES, "renew") };
if (Number(RATE) > 0) scenarios.logins = arrivals(RATE, "enter");

export const options = { scenarios, setupTimeout: "10m", summaryTrendStats: ["p(50)", "p(99)", "count"], discardResponseBodies: true };

function grant(form, responseType) {
  return http.post(TOKEN, { client_id: "app", ...form }, { responseType, timeout: "10m" });
}

const entered = (user, responseType) => grant({ grant_type: "password", username: `user-${user}`, password: PASSWORD }, responseType);

// A user has one login at a time in Keycloak, so each has its own number.
export function setup() {
  return Array.from({ length: 20 }, (_, user) => entered(user, "text").json("refresh_token"));
}

let next = 0;
export function enter() {
  const answer = entered((__VU * 7 + 20 + next++ * 101) % Number(USERS), "none");
  (answer.status === 200 ? answered : refused).add(1);
  login.add(answer.timings.duration);
}

export function renew(tokens) {
  const answer = grant({ grant_type: "refresh_token", refresh_token: tokens[(__VU + next++) % tokens.length] }, "none");
  if (answer.status !== 200) throw new Error(`a refresh was answered with ${answer.status}`);
  refresh.add(answer.timings.duration);
}
