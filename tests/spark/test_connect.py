"""The same tests on Spark Connect, in a process of its own: a process is either classic or Connect.

What differs there are names, types, plans, errors, observed metrics and queries of streams. What a kernel counts, where a cut lies
and what Spark's optimizer does above us are no matters of the protocol: of those there are a few.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inwindow.runtime.spark.jvm import ensure_java

FOLDER = Path(__file__).parent
WHOLE = ["types", "columns", "errors", "select_and_group_by"]
SOME = {
    "parity": ["over_frames[count-count_if-sum]"],
    "plans": [
        "data_in_place_are_not_shuffled_again",
        "a_call_on_our_result_is_not_shuffled_again",
        "windows_over_the_same_expression_share_a_pass",
        "steps_above_change_nothing[a join-0]",
        "steps_above_change_nothing[a union-2]",
        "steps_above_change_nothing[another of ours-2]",
        "windows_as_arguments",
        "a_key_is_no_column_that_looks_like_it",
    ],
    "points": [
        "the_same_as_on_tables",
        "columns_of_spark",
        "of_itself_and_again",
        "of_itself_where_a_select_makes_a_column_of_another_one",
        "said",
    ],
    "pane_plan": ["as_sparks_window", "an_error_in_a_hook", "an_error_behind_the_shuffle_names_the_extent", "explain"],
    "places": ["as_sparks_own"],
    "hot_keys": [
        "rows_and_ranges_of_one_pass_equal_sparks",
        "without_partitioning",
        "partials_of_other_data_are_an_error",
        "what_is_not_cut_says_why",
    ],
    "temporal": ["one_relation[aggregate]", "two_relations[full]", "windows[range]", "columns_of_spark_as_arguments", "streams"],
    "sentinel": ["what_cannot_be_undone", "two_sentinels_in_one_call", "streams_count_what_they_check[transformWithState]"],
    "catalog": ["an_aggregate_reads_a_table", "a_table_that_is_too_large_or_a_stream", "many_rows_of_terminate"],
    "cql": ["the_same_on_spark"],
    "sql": [
        "as_spark_says",
        "names",
        "slides_by_another_attribute",
        "options_of_built_ins",
        "active_expiration",
        "a_registered_function_in_plain_sql",
        "wrong_calls_of_a_registered_function",
        "register_refuses",
        "names_belong_to_a_session",
    ],
    "stream_metrics": ["a_query_is_heard"],
    "composing_streams": ["refused_before_a_call[transformWithState]", "refused_behind_a_call[transformWithState]"],
    "stream_results": [
        "a_second_watermark_is_refused[transformWithState]",
        "a_step_behind_a_call_is_the_call_still",
        "rows_and_late_tuples_in_one_query",
        "one_operator_gives_rows_and_late_tuples[transformWithState]",
        "two_in_one_query_need_a_store",
        "results_in_one_query",
        "a_name_of_metrics_is_free_again",
        "metrics_are_those_of_the_query[applyInPandasWithState]",
    ],
    "watermarks": ["a_far_time_and_a_silent_stream[transformWithState]"],
    "streams": [
        "batches_without_data_move_time_on[transformWithState]",
        "late_tuples_are_a_stream",
        "a_hook_that_raises_is_named",
        "refused_on_the_driver",
        "many_partitions_are_warned_of",
        "explain_says_what_waits",
    ],
}  # fmt: skip


@pytest.mark.skipif("PYTEST_CONNECT" in os.environ, reason="this is the run on Connect")
def test_on_connect() -> None:
    ensure_java()
    tests = [str(FOLDER / f"test_{name}.py") for name in WHOLE]
    tests += [f"{FOLDER / f'test_{name}.py'}::test_{one}" for name, some in SOME.items() for one in some]
    quiet = ["-q", "-x", "-p", "no:cacheprovider", "--tb=short"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *quiet, "--spark=connect", *tests],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_CONNECT": "1"},
        cwd=FOLDER.parent.parent,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
