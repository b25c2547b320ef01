//! The routes of the documents, over the shipped packs: feedback, autonomy, proposals, reasoning.

use serde_json::json;

use super::Service;

#[test]
fn feedback_is_submitted_and_counted() {
    let dir = crate::memory::folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let refused = caller.post("/feedback/submit", &json!({ "unknown": 1 }));
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(caller.read("/feedback/history")["feedback"]["feedback"], json!([]));
    assert!(caller.read("/feedback/stats")["stats"].is_object());
}

#[test]
fn an_escalation_is_asked_for_and_approved_by_people_only() {
    let dir = crate::memory::folder();
    std::fs::write(dir.path().join("hence.toml"), "[roles]\nreviewer = [\"ada\"]\n").unwrap();
    let service = Service::new(dir.path());
    let (agent, ada) = (service.token("agent", "read,write"), service.token("ada", "read,write"));
    let request =
        json!({ "request": "r1", "level": 2, "reason": "enough done", "at": "2026-02-09T09:00:00Z" });
    agent.ask("/autonomy/request_escalation", &request);
    assert!(agent.read("/autonomy/status?min_tx=1")["status"]["current_level"].is_array());
    let requests = agent.read("/autonomy/requests?min_tx=1");
    assert_eq!(
        requests["requests"]["pending_review"],
        json!([{ "request": "r1", "level": 2 }]),
        "{requests}"
    );
    let answer = json!({ "request": "r1", "comment": "go on" });
    assert_eq!(agent.post("/autonomy/approve_escalation", &answer).status, 403);
    ada.record("{\"reviewer\": [\"ada\"]}");
    assert_eq!(agent.post("/autonomy/approve_escalation", &answer).status, 403);
    ada.ask("/autonomy/approve_escalation", &answer);
    let tx = ada.read("/v1/status")["tx"].as_u64().unwrap();
    let waits = ada.read(&format!("/v1/reviews?min_tx={tx}"));
    assert_eq!(waits["reviews"], json!([]), "{waits}");
    assert_eq!(ada.post("/autonomy/approve_escalation", &json!({ "request": "r9" })).status, 404);
}

#[test]
fn proposals_are_for_administrators() {
    let dir = crate::memory::folder();
    std::fs::write(dir.path().join("hence.toml"), "[roles]\nreviewer = [\"ada\"]\n").unwrap();
    let service = Service::new(dir.path());
    let ada = service.all();
    ada.record(
        "{\"reviewer\": [\"ada\"]}\n{\"proposal\": [\"p1\", \"/new_rule\", 0.9, \"2026-02-09T09:00:00Z\"]}\n\
         {\"proposal\": [\"p2\", \"/new_rule\", 0.8, \"2026-02-09T09:00:00Z\"]}",
    );
    assert_eq!(service.token("agent", "read,write").get("/admin/proposals").status, 403);
    let one = ada.read("/admin/proposals/p1?min_tx=1");
    assert_eq!(one["proposals"]["proposal"].as_array().unwrap().len(), 1, "{one}");
    let waiting = ada.read("/v1/reviews?min_tx=1");
    let waiting = waiting["reviews"].as_array().unwrap().len();
    if waiting == 2 {
        ada.ask("/admin/proposals/p1/approve", &json!({}));
        ada.ask("/admin/proposals/p2/reject", &json!({ "comment": "not now" }));
    }
    assert!(ada.read("/admin/proposals/stats")["stats"].is_object());
}

#[test]
fn reasoning_is_told_task_by_task() {
    let dir = crate::memory::folder();
    let service = Service::new(dir.path());
    let caller = service.token("ops", "read");
    assert!(caller.read("/api/reasoning/traces")["traces"].is_object());
    assert_eq!(caller.read("/api/reasoning/traces/t1")["traces"]["trace_step"], json!([]));
    assert!(caller.read("/api/reasoning/current")["current"].is_object());
}
